from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import Throttled, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from evalapp.accounts import tokens
from evalapp.api.errors import Errors
from evalapp.api.parsers import FormParser, JSONParser, MultiPartParser
from evalapp.limits import login

# Programs that log in each time would pile up tokens without an end.
DAYS = 30


class LoginSerializer(serializers.Serializer):
    username = serializers.CharField()
    password = serializers.CharField(trim_whitespace=False)


class MadeSerializer(serializers.Serializer):
    token = serializers.CharField()
    expires_at = serializers.DateTimeField()


class TokenApi(APIView):
    tag = "Tokens"
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()  # wrong passwords are counted, here and at the login together
    parser_classes = (FormParser, MultiPartParser, JSONParser)

    @extend_schema(
        request=LoginSerializer,
        responses={200: MadeSerializer, 400: Errors, 429: Errors},
    )
    def post(self, request: Request) -> Response:
        """Get a token

        Exchange a user name and a password for a token. It ends after 30 days. You can
        make one that lasts longer on the Account page.
        """
        sent = LoginSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        form = login.LoginForm(request._request, data=sent.validated_data)
        if not form.is_valid():
            if form.has_error("__all__", login.THROTTLED):
                raise Throttled(wait=login.SECONDS)
            raise ValidationError(form.errors)
        token, key = tokens.make(
            user=form.get_user(), name="Login by API", now=timezone.now(), days=DAYS
        )
        return Response({"token": key, "expires_at": token.expires_at})
