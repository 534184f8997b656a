"""The API of the members of a study."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation import studies
from annotation.access import Level, get_study_for
from annotation.models import Member
from evalapp.api.errors import REFUSED


class MemberSerializer(serializers.ModelSerializer):
    username = serializers.CharField(source="user.username", read_only=True)

    class Meta:
        model = Member
        fields = ["id", "username", "role", "since"]
        read_only_fields = ["since"]


class NewMemberSerializer(serializers.Serializer):
    who = serializers.CharField(
        max_length=254, help_text="A user name, or the e-mail address of an account."
    )
    role = serializers.ChoiceField(Member.Role.choices)


class RoleSerializer(serializers.Serializer):
    role = serializers.ChoiceField(Member.Role.choices)


class MembersApi(APIView):
    tag = "Members"
    needs = {"POST": Level.MANAGE}

    @extend_schema(responses={200: MemberSerializer(many=True), **REFUSED})
    def get(self, request: Request, name: str) -> Response:
        """List members"""
        study = get_study_for(request.user, name)
        found = study.members.select_related("user")
        return Response(MemberSerializer(found, many=True).data)

    @extend_schema(
        request=NewMemberSerializer, responses={201: MemberSerializer, **REFUSED}
    )
    def post(self, request: Request, name: str) -> Response:
        """Add a member

        Owners only. The account must exist.
        """
        study = get_study_for(request.user, name)
        wanted = NewMemberSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        try:
            added = studies.add_member(
                study=study,
                user=request.user,
                now=timezone.now(),
                **wanted.validated_data,
            )
        except studies.MemberError as error:
            raise ValidationError(str(error)) from error
        return Response(MemberSerializer(added).data, status.HTTP_201_CREATED)


class MemberApi(APIView):
    tag = "Members"
    needs = {"PATCH": Level.MANAGE, "DELETE": Level.MANAGE}

    @extend_schema(request=RoleSerializer, responses={200: MemberSerializer, **REFUSED})
    def patch(self, request: Request, name: str, member: int) -> Response:
        """Change the role of a member

        Owners only. The only owner stays an owner.
        """
        wanted = RoleSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        found = _member(request, name, member)
        try:
            studies.change_role(
                member=found,
                role=wanted.validated_data["role"],
                user=request.user,
                now=timezone.now(),
            )
        except studies.MemberError as error:
            raise ValidationError(str(error)) from error
        found.refresh_from_db()
        return Response(MemberSerializer(found).data)

    @extend_schema(responses={204: None, **REFUSED})
    def delete(self, request: Request, name: str, member: int) -> Response:
        """Remove a member

        Owners only. The only owner cannot be removed.
        """
        found = _member(request, name, member)
        try:
            studies.remove_member(member=found, user=request.user, now=timezone.now())
        except studies.MemberError as error:
            raise ValidationError(str(error)) from error
        return Response(status=status.HTTP_204_NO_CONTENT)


def _member(request: Request, name: str, pk: int) -> Member:
    study = get_study_for(request.user, name)
    return get_object_or_404(study.members.select_related("user"), pk=pk)
