"""The operator's file: what is wrong is told by line and field, and stops only that."""

import re
from pathlib import Path

import pytest

import evalapp
from scoring.endpoints import configuration
from scoring.endpoints.model_settings import ModelSettings
from scoring.metrics import MetricError, OptionError

GOOD = """\
[judges.lab]
url = "http://127.0.0.1:9000/v1"
key_env = "LAB_KEY"
models = ["tiny", "org/large"]
calls_at_once = 4
calls_per_minute = 600
tokens_per_minute = 100000
price_in = 0.15
price_out = 1
currency = "EUR"
leaves_site = false
schemas = "json_object"
"""


@pytest.fixture
def read(tmp_path):
    def written(text):
        file = tmp_path / "judges.toml"
        file.write_text(text)
        return configuration.read(file)

    return written


def test_all_fields_are_read(read):
    assert read(GOOD).problems == ()
    assert read(GOOD).known == {
        "lab": configuration.Endpoint(
            "lab",
            "http://127.0.0.1:9000/v1",
            ("tiny", "org/large"),
            "LAB_KEY",
            4,
            600,
            100_000,
            0.15,
            1,
            "EUR",
            False,
            "json_object",
        )
    }


def test_what_is_left_out_is_careful(read):
    found = read('[judges.a]\nurl = "https://a.org"\nmodels = ["b"]').known["a"]
    assert found.leaves_site and found.key_env == "" and found.price_in is None
    assert (found.calls_at_once, found.calls_per_minute) == (8, 0)


def test_no_file_is_no_endpoint(tmp_path):
    assert configuration.read(tmp_path / "none") == configuration.Endpoints({})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(
            ("url", '"ftp://a"'),
            ("url", '"a.org/v1"'),
            ("url", "7"),
            ("url", '"http://"'),
        ),
        *(
            ("url", '"http://a:x/"'),
            ("url", '"http://a b/"'),
            ("url", '"http://a?b=1"'),
        ),
        *(("key_env", '"sk-abc"'), ("key_env", '"lab_key"'), ("key_env", '""')),
        *(("models", "[]"), ("models", '"tiny"'), ("models", '["a", "a"]')),
        *(("models", "[1]"), ("models", '["a|b"]'), ("models", '[""]')),
        *(("calls_at_once", "0"), ("calls_at_once", "true"), ("calls_at_once", "1.5")),
        *(("calls_per_minute", "-1"), ("tokens_per_minute", '"9"'), ("price_in", "-1")),
        *(("price_out", "nan"), ("price_out", "true"), ("currency", '"euro"')),
        *(("leaves_site", '"no"'), ("leaves_site", "0"), ("schemas", '"xml"')),
    ],
)
def test_a_wrong_value_is_told_by_line_and_field(read, field, value):
    lines = [
        f"{field} = {value}" if line.startswith(f"{field} ") else line
        for line in GOOD.splitlines()
    ]
    (problem,) = read("# ours\n" + "\n".join(lines)).problems
    line = lines.index(f"{field} = {value}") + 2
    assert problem.startswith(f"judges.toml, line {line}, judges.lab.{field}: ")


def test_unknown_and_missing_fields_are_told(read):
    unknown, url, models = read('[judges.lab]\n key = "x"').problems
    assert unknown.startswith("judges.toml, line 2, judges.lab.key: unknown field;")
    assert url == "judges.toml, line 1, judges.lab: url is missing"
    assert models == "judges.toml, line 1, judges.lab: models is missing"


def test_one_that_is_wrong_does_not_spoil_the_others(read):
    found = read(GOOD + "[judges.b]\nurl = 7\n[other]\n[judges.c-1]\n" + GOOD[13:])
    assert set(found.known) == {"lab", "c-1"} and len(found.problems) == 3


@pytest.mark.parametrize("text", ["[judges.lab", "judges = 7", "judges.lab = 7", "[x]"])
def test_other_files_are_refused_in_a_sentence(read, text):
    found = read(text)
    assert found.known == {} and len(found.problems) == 1


def test_a_line_of_toml_that_is_wrong_is_told(read):
    (problem,) = read("x = \n" + GOOD).problems
    assert "is not TOML" in problem and "line 1," in problem


def test_a_key_that_stands_where_it_should_not_is_never_repeated(read):
    secret = "sk-secret"
    for line in (
        f'key_env = "{secret}"',
        f'key = "{secret}"',
        f'url = "http://me:{secret}@a.org/v1"',
        f'url = "http://a.org/v1?key={secret}"',
        f'models = "{secret}"',
    ):
        problems = read(f"[judges.lab]\n{line}\n").problems
        assert problems and secret not in " ".join(problems)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "setting of EvalApp") for name in ("SECRET_KEY", "PROLIFIC_TOKEN")),
        *((name, "setting of EvalApp") for name in ("METRICS_TOKEN", "HF_TOKEN")),
        ("AWS_SECRET_ACCESS_KEY", "setting of EvalApp"),
        ("DATABASE_URL", "ends in _KEY or _TOKEN"),
        ("OIDC_CLIENT_SECRET", "ends in _KEY or _TOKEN"),
        ("LAB_TOKEN", ""),
        ("OPENAI_API_KEY", ""),
    ],
)
def test_no_variable_but_that_of_a_key_is_sent_to_a_server(read, name, said):
    found = read(GOOD.replace("LAB_KEY", name))
    assert [said in one for one in found.problems] == ([True] if said else [])
    assert ("lab" in found.known) == (not said)


def test_every_setting_that_could_be_taken_for_a_key_is_known():
    """Wherever the site reads its environment."""
    named = re.compile(r"""["\[]([A-Z_]+_(?:KEY|TOKEN))["\]]""")
    files = Path(evalapp.__file__).parent.rglob("*.py")
    lines = [line for file in files for line in file.read_text().splitlines()]
    read = [line for line in lines if "environ" in line]
    found = {name for line in read for name in named.findall(line)}
    assert {"SECRET_KEY", "PROLIFIC_TOKEN", "METRICS_TOKEN"} <= found
    assert found <= configuration.OURS


def test_the_file_is_named_by_a_variable_or_lies_in_the_data_folder(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("DATA_DIR", "/data")
    monkeypatch.delenv("JUDGES_FILE", raising=False)
    assert str(configuration.file()) == "/data/judges.toml"
    assert configuration.file(tmp_path) == tmp_path / "judges.toml"
    monkeypatch.setenv("JUDGES_FILE", "/etc/judges.toml")
    assert str(configuration.file(tmp_path)) == "/etc/judges.toml"


def test_a_model_is_chosen_by_name(read):
    endpoint, model = configuration.resolve("endpoint:lab/org/large", read(GOOD))
    assert (endpoint.name, model) == ("lab", "org/large")


def test_unknown_names_are_refused_with_those_that_there_are(read):
    with pytest.raises(MetricError, match="no endpoint home; there are: lab"):
        configuration.resolve("endpoint:home/tiny", read(GOOD))
    with pytest.raises(MetricError, match="it offers: tiny, org/large"):
        configuration.resolve("endpoint:lab/huge", read(GOOD))
    for wrong in ("endpoint:", "endpoint:lab", "endpoint:/a", "endpoint:lab/"):
        with pytest.raises(OptionError, match="expected endpoint:NAME/MODEL"):
            configuration.resolve(wrong, read(GOOD))


OF_MODEL = """
[judges.lab.model."org/large"]
limit_name = "max_completion_tokens"
max_tokens = 4000
temperature = "none"
top_logprobs = 5
reasoning_effort = "low"
body = {top_k = 1, chat = {think = false}}
modes = ["answer", "form"]
"""


class TestModels:
    def test_each_model_may_have_settings_of_its_own(self, read):
        endpoint = read(GOOD + OF_MODEL).known["lab"]
        assert endpoint.settings("tiny") == ModelSettings()
        assert endpoint.settings("org/large") == ModelSettings(
            limit_name="max_completion_tokens",
            max_tokens=4000,
            temperature="none",
            top_logprobs=5,
            reasoning_effort="low",
            body={"top_k": 1, "chat": {"think": False}},
            modes=("answer", "form"),
        )

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            *(("limit_name", '"limit"'), ("limit_name", "7"), ("max_tokens", "0")),
            *(("max_tokens", '"9"'), ("temperature", "2.5"), ("temperature", '"no"')),
            *(("temperature", "true"), ("top_logprobs", "0"), ("top_logprobs", "21")),
            *(("reasoning_effort", '"a b"'), ("reasoning_effort", "1"), ("body", "1")),
            *(("body", "{stream = true}"), ("body", "{day = 2026-01-01}")),
            *(("body", "{x = nan}"), ("modes", "[]"), ("modes", '["talk"]')),
        ],
    )
    def test_a_wrong_value_is_told_by_line_and_field(self, read, field, value):
        lines = [
            f"{field} = {value}" if line.startswith(f"{field} ") else line
            for line in (GOOD + OF_MODEL).splitlines()
        ]
        found = read("\n".join(lines))
        (problem,) = found.problems
        line = lines.index(f"{field} = {value}") + 1
        where = f"judges.toml, line {line}, judges.lab.model.org/large.{field}: "
        assert problem.startswith(where) and found.known == {}

    def test_unknown_fields_and_models_are_told(self, read):
        table = '[judges.lab.model."small"]\nmax_token = 7'
        model, field = read(f"{GOOD}{table}").problems
        line = len(GOOD.splitlines()) + 1
        assert model.startswith(f"judges.toml, line {line}, judges.lab.model.small: ")
        assert field.startswith(
            f"judges.toml, line {line + 1}, judges.lab.model.small.max_token: unknown"
        )

    @pytest.mark.parametrize("value", ["7", '["tiny"]', "{tiny = 7}"])
    def test_what_is_no_table_is_told(self, read, value):
        (problem,) = read(f"{GOOD}model = {value}\n").problems
        assert ": expected" in problem

    def test_a_mode_that_is_not_offered_is_refused_with_those_that_are(self, read):
        found = read(GOOD + OF_MODEL)
        configuration.check_mode("endpoint:lab/org/large", "form", found)
        configuration.check_mode("endpoint:lab/tiny", "logprobs", found)
        with pytest.raises(MetricError, match="may be asked in: answer, form"):
            configuration.check_mode("endpoint:lab/org/large", "logprobs", found)

    def test_changes_of_models_are_noted_or_split(self, read):
        assert read(GOOD).known["lab"].changes == "note"
        assert read(f'{GOOD}changes = "split"\n').known["lab"].changes == "split"
        (problem,) = read(f'{GOOD}changes = "ask"\n').problems
        assert problem.endswith('expected "note" or "split"')
