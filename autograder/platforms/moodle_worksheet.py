"""Read Moodle's grading worksheet: each participant of an assignment, with status and times.

Moodle writes it in the language and the time zone of the profile that downloads it, and uploads it
only in the same language:

    Tuesday, 17 November 2026, 8:15 PM       Dienstag, 17. November 2026, 20:15
    mardi 17 novembre 2026, 20:15            martes, 17 de noviembre de 2026, 20:15

A participant's number belongs to one assignment: the same person has another number in the next.
"""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from autograder.engine import AutograderError, Pattern, files, printable, texts
from autograder.platforms.sheet import (
    EMPTY_CELLS,
    final_number,
    number_in,
    read_sheet,
    refuse_duplicates,
)

PLATFORM = "moodle"
LANGUAGES = "English, German, French or Spanish"
DEFAULT_GROUP = "Default group"  # Moodle's team of all students without a team

# names of columns in these languages, the English name first
COLUMNS = {
    "identifier": ("Identifier", "ID", "Identifiant", "Identificador"),
    "name": ("Full name", "Vollständiger Name", "Nom complet", "Nombre completo"),
    "email": ("Email address", "E-Mail-Adresse", "Adresse de courriel", "Dirección de correo"),
    "login": ("Username", "Anmeldename", "Nom d’utilisateur", "Nombre de usuario"),
    "id_number": ("ID number", "ID-Nummer", "Numéro d’identification", "Número de ID"),
    "status": ("Status", "Statut", "Estado"),
    "due": ("Due date", "Fälligkeitsdatum", "Date limite", "Fecha de entrega"),
    "group": ("Group", "Gruppe", "Groupe", "Grupo"),
    "grade": ("Grade", "Bewertung", "Note", "Calificación"),
    "maximum": ("Maximum grade", "Bestwertung", "Note maximale", "Calificación máxima"),
    "scale": ("Scale", "Skala", "Barème", "Escala"),
    "workflow": (
        "Marking workflow state",
        "Status des Bewertungsworkflows",
        "Statut du flux d’évaluation",
        "Estado del workflow (flujo de trabajo) de calificaciones",
    ),
    "changeable": (
        "Grade can be changed",
        "Bewertung kann geändert werden",
        "La note peut être modifiée",
        "La calificación puede ser cambiada",
    ),
    "submitted": (
        "Last modified (submission)",
        "Zuletzt geändert (Abgabe)",
        "Dernière modification (travail remis)",
        "Última modificación (entrega)",
    ),
    "graded": (
        "Last modified (grade)",
        "Zuletzt geändert (Bewertung)",
        "Dernière modification (note)",
        "Última modificación (calificación)",
    ),
    "comments": (
        "Feedback comments",
        "Feedback als Kommentar",
        "Feedback par commentaires",
        "Comentarios de retroalimentación",
    ),
}
STATUSES = {
    "submitted for grading": "submitted",
    "zur bewertung abgegeben": "submitted",
    "remis pour évaluation": "submitted",
    "enviado para calificar": "submitted",
    "draft (not submitted)": "draft",
    "entwurf (nicht abgegeben)": "draft",
    "brouillon (non remis)": "draft",
    "borrador (no enviado)": "draft",
    "no submission": "none",
    "keine abgabe": "none",
    "pas de travail remis": "none",
    "sin entrega": "none",
    "reopened": "reopened",
    "erneut geöffnet": "reopened",
    "rouvert": "reopened",
    "reabierto": "reopened",
}
EXTENDED = (  # before the colon in a status
    "Extension granted until",
    "Verlängertes Abgabeende bis",
    "Prolongation accordée jusqu’au",
    "Plazo ampliado hasta",
)
GROUPS = {  # cells that are not the name of a team
    "default group": DEFAULT_GROUP,
    "standard-gruppe": DEFAULT_GROUP,
    "groupe par défaut": DEFAULT_GROUP,
    "grupo predeterminado": DEFAULT_GROUP,
    # if only teams can submit, for students without a team or with several
    "not a member of any group, so unable to make submissions.": "",
    "kein mitglied einer gruppe. die abgabe von aufgaben ist nicht möglich.": "",
    "membre d’aucun groupe ; impossible donc de remettre un travail.": "",
    "no perteneces a ningún grupo, por lo que no es posible realizar entregas.": "",
    "member of more than one group, so unable to make submissions.": "",
    "mitglied in mehreren gruppen. die abgabe von aufgaben ist nicht möglich.": "",
    "membre de plusieurs groupes ; impossible donc de remettre un travail.": "",
    "miembro de más de un grupo, por lo que no puede añadir entregas.": "",
}
MONTHS = {
    name: month
    for names in (
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for month, name in enumerate(names.split(), start=1)
}
CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)\s*(?P<half>[AP]M)?"
TIMES = [
    Pattern(rf"(?i)(?:[{texts.WORD}]+,? )?{date},? (?:at |um |à )?{CLOCK}")
    for date in (
        r"(?P<day>\d{1,2})\.? (?:de )?(?P<month>[\pL_]+) (?:de )?(?P<year>\d{4})",
        r"(?P<month>[\pL_]+) (?P<day>\d{1,2}), (?P<year>\d{4})",
    )
]
REMOVED = Pattern(r"[\x00-\x1f\x7f&<>\"`|':\\/]|\.\.+")


@dataclass(frozen=True)
class Participant:
    """A row of a worksheet. Fields are empty if the worksheet does not have the column."""

    number: str  # in this assignment only
    name: str = ""
    email: str = ""
    login: str = ""
    id_number: str = ""
    group: str = ""  # the name of the team; `DEFAULT_GROUP` in every language
    status: str = "none"  # or "submitted", "draft", "reopened"
    submitted_at: datetime | None = None  # this time and the next two have no zone
    extension: datetime | None = None
    due: datetime | None = None  # the participant's own due date


@dataclass(frozen=True)
class Worksheet:
    """A grading worksheet: its table, and the participants parsed by `read_worksheet`."""

    path: Path
    table: files.Table
    participants: list[Participant] = field(default_factory=list)

    @property
    def columns(self) -> dict[str, int]:
        """Index of each of the `COLUMNS` in the worksheet."""
        indexes = {column: self.table.column(*names) for column, names in COLUMNS.items()}
        return {column: i for column, i in indexes.items() if i is not None}

    @property
    def rows(self) -> dict[int, dict[str, str]]:
        """Cells by the row's index in the table and by the keys of `COLUMNS`, "" if the column is
        missing.
        """
        columns = self.columns.items()
        cells = ({column: row[i].strip() for column, i in columns} for row in self.table.rows[1:])
        return {i: defaultdict(str, row) for i, row in enumerate(cells, start=1)}

    @property
    def numbers(self) -> list[str]:
        """Participant number of each row, or ""."""
        return [final_number(row["identifier"]) for row in self.rows.values()]

    @property
    def maximum(self) -> float | None:
        """Maximum grade, or None if the assignment is graded by a scale."""
        return next(filter(None, (number_in(row["maximum"]) for row in self.rows.values())), None)


def read_worksheet(path: Path) -> Worksheet:
    """Read a grading worksheet as Moodle wrote it. Rows without a number are left out.

    Raises `TableError` if the file is not a worksheet in one of the four languages,
    `AutograderError` if two rows have the same number.
    """
    worksheet = open_worksheet(path, "submitted")
    participants = [
        _read_participant(row, f"`{path}`, line {worksheet.table.lines[i]}")
        for i, row in worksheet.rows.items()
        if final_number(row["identifier"])
    ]
    return replace(worksheet, participants=participants)


def _read_participant(cells: dict[str, str], location: str) -> Participant:
    words, *details = (part.strip() for part in cells["status"].split(" - "))
    events = (detail.partition(":") for detail in details)
    extension = next((end.strip() for event, _, end in events if event.strip() in EXTENDED), "")
    texts = cells["submitted"], extension, cells["due"]
    times = [in_words(text) for text in texts]
    # Moodle leaves the status empty if no submission type is switched on
    status = STATUSES.get(words.casefold()) if words else "submitted" if times[0] else "none"
    pairs = zip(texts, times, strict=True)
    unknown = [text for text, time in pairs if time is None and text not in EMPTY_CELLS]
    if unknown or not status:
        raise files.TableError(
            f"{location}: `{printable((unknown or [words])[0])}` is not a time or a status in "
            f"{LANGUAGES}. Download the worksheet in one of these languages."
        )
    return Participant(
        final_number(cells["identifier"]),
        cells["name"],
        cells["email"],
        cells["login"],
        cells["id_number"],
        GROUPS.get(" ".join(cells["group"].split()).casefold(), cells["group"]),
        status,
        *times,
    )


def in_words(text: str) -> datetime | None:
    """Parse a time in one of Moodle's four languages. Return None if the text has another form."""
    words = " ".join(text.split())
    match = next((match for form in TIMES if (match := form.fullmatch(words))), None)
    month = MONTHS.get(match["month"].casefold()) if match else None
    if match is None or month is None:
        return None
    hour, half = int(match["hour"]), (match["half"] or "").upper()
    if half:
        hour = hour % 12 + 12 * (half == "PM") if 1 <= hour <= 12 else 99
    try:
        return datetime(int(match["year"]), month, int(match["day"]), hour, int(match["minute"]))
    except ValueError:
        return None


def open_worksheet(path: Path, *required: str) -> Worksheet:
    """Read the table of a worksheet.

    Raises `TableError` if the identifier or a required column is missing, `AutograderError` if two
    rows have the same number.
    """
    worksheet = Worksheet(path, read_sheet(path))
    missing = [column for column in ("identifier", *required) if column not in worksheet.columns]
    if missing:
        raise files.TableError(
            f"`{path}` is not a grading worksheet of Moodle in {LANGUAGES}: it has no column "
            f"`{COLUMNS[missing[0]][0]}`. Download the worksheet in one of these languages."
        )
    refuse_duplicates(path, "identifier", worksheet.numbers)
    return worksheet


def refuse_other_assignment(worksheet: Worksheet, numbers: set[str]) -> None:
    """Raise `AutograderError` if the worksheet has none of an assignment's known participant
    numbers, if there are any. Do not pass numbers of teams.
    """
    if numbers and numbers.isdisjoint(worksheet.numbers):
        raise AutograderError(
            f"`{worksheet.path}` is of another assignment: it has none of the participant numbers "
            "that are known of this one. Download the worksheet of this assignment (where teams "
            "submitted, `collect` needs it, too)."
        )


def name_in_zip(name: str) -> str:
    """Return the name of a person or a team as in the names of Moodle's zips."""
    return REMOVED.sub("", name.replace("_", " "))
