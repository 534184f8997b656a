"""Asks sacrebleu how much twenty texts were edited, beside a count by hand.

    PYTHONPATH=. python tests/golden/make_post_edits.py

prints post_edits.json. Edits and words of the correction were counted by hand: an edit
inserts, deletes or replaces a word, or moves a run of words. Words are what white space
separates, and case does not count.
"""

import json
import sys
from importlib.metadata import version

# The text, its correction, edits, words of the correction.
EDITS = (
    ("The cat sat on the mat.", "The cat sat on the mat.", 0, 6),
    ("the cat sat on the mat.", "The cat sat on the mat.", 0, 6),
    ("The cat sit on the mat.", "The cat sat on the mat.", 1, 6),
    ("The cat sat on mat.", "The cat sat on the mat.", 1, 6),
    ("The cat sat on the the mat.", "The cat sat on the mat.", 1, 6),
    ("The cat sat on the mat", "The cat sat on the mat.", 1, 6),
    ("On the mat the cat sat down", "The cat sat down on the mat", 1, 7),
    ("She have two brother .", "She has two brothers .", 2, 5),
    ("He go to school yesterday", "He went to school yesterday", 1, 5),
    ("I am agree with you", "I agree with you", 1, 4),
    ("Nobody knew that she left", "Nobody knew that she had left", 1, 6),
    ("It rains since three days", "It has been raining for three days", 4, 7),
    ("The film was very very good", "The film was very good", 1, 5),
    ("A old man opened a door", "An old man opened the door", 2, 6),
    ("Rome is the capital of France", "Paris is the capital of France", 1, 6),
    ("We we went home and then we", "We went home", 4, 3),
    ("so much", "Thank you so much for your help", 5, 7),
    ("quickly he ran away from the dog", "he ran away from the dog quickly", 1, 7),
    ("Das Haus ist groß und rot", "Das Haus ist groß und blau", 1, 6),
    ("wrong in every single word", "right", 5, 1),
)


def main() -> None:
    import sacrebleu

    made_by = {
        "program": f"sacrebleu {version('sacrebleu')}",
        "command": f"PYTHONPATH=. python {sys.argv[0]}",
        "asked": "sacrebleu.sentence_ter(text, [correction]).score",
    }
    rows = [
        {
            "text": text,
            "correction": correction,
            "edits": edits,
            "words": words,
            "ter": round(sacrebleu.sentence_ter(text, [correction]).score, 9),
        }
        for text, correction, edits, words in EDITS
    ]
    found = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    sys.stdout.write(
        f'{{\n "made_by": {json.dumps(made_by)},\n "edits": [\n  {found}\n ]\n}}\n'
    )


if __name__ == "__main__":
    main()
