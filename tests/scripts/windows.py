"""Ranges of a state as BullMQ 6.7.0 answers them: (start, end) -> oldest first, newest first."""

LETTERS = "abcdef"  # the oldest first
WINDOWS = {
    (0, -1): ("abcdef", "fedcba"),
    (0, 0): ("a", "f"),
    (0, 2): ("abc", "fed"),
    (1, 2): ("bc", "ed"),
    (4, 20): ("ef", "ba"),
    (6, 9): ("", ""),
    (-2, -1): ("ef", "ba"),
    (-3, -2): ("de", "cb"),
    (2, 1): ("", ""),
    (0, -2): ("abcde", "fedcb"),
    (-9, -1): ("abcdef", "fedcba"),
    (-6, 0): ("a", "f"),
}
OLDEST_FIRST = {window: answers[0] for window, answers in WINDOWS.items()}
NEWEST_FIRST = {window: answers[1] for window, answers in WINDOWS.items()}
AS_LIST = list(LETTERS[::-1])  # its head is the newest
AS_SORTED_SET = {letter: number for number, letter in enumerate(LETTERS)}
