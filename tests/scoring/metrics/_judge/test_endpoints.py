"""The operator's file: what is wrong is told by line and field, and stops only that."""

import pytest

from scoring.metrics import MetricError, OptionError
from scoring.metrics._judge import endpoints

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
        return endpoints.read(file)

    return written


def test_all_fields_are_read(read):
    assert read(GOOD).problems == ()
    assert read(GOOD).known == {
        "lab": endpoints.Endpoint(
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
    assert endpoints.read(tmp_path / "none") == endpoints.Endpoints({})


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


def test_the_file_is_named_by_a_variable_or_lies_in_the_data_folder(
    monkeypatch, tmp_path
):
    monkeypatch.setenv("DATA_DIR", "/data")
    monkeypatch.delenv("JUDGES_FILE", raising=False)
    assert str(endpoints.file()) == "/data/judges.toml"
    assert endpoints.file(tmp_path) == tmp_path / "judges.toml"
    monkeypatch.setenv("JUDGES_FILE", "/etc/judges.toml")
    assert str(endpoints.file(tmp_path)) == "/etc/judges.toml"


def test_a_model_is_chosen_by_name(read):
    endpoint, model = endpoints.chosen("endpoint:lab/org/large", read(GOOD))
    assert (endpoint.name, model) == ("lab", "org/large")


def test_unknown_names_are_refused_with_those_that_there_are(read):
    with pytest.raises(MetricError, match="no endpoint home; there are: lab"):
        endpoints.chosen("endpoint:home/tiny", read(GOOD))
    with pytest.raises(MetricError, match="it offers: tiny, org/large"):
        endpoints.chosen("endpoint:lab/huge", read(GOOD))
    for wrong in ("endpoint:", "endpoint:lab", "endpoint:/a", "endpoint:lab/"):
        with pytest.raises(OptionError, match="expected endpoint:NAME/MODEL"):
            endpoints.chosen(wrong, read(GOOD))
