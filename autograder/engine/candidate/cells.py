"""Run notebook cells in an IPython shell."""

import ast
import contextlib
import sys

from IPython.core.compilerop import CachingCompiler
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.text import SList
from traitlets import Any, Type, Unicode
from traitlets.config import Config

from autograder.engine.candidate.lacking import Lacking, single_imports
from autograder.engine.candidate.outputs import Collector, Stream
from autograder.engine.candidate.shortened import shortened

NO_PROCESS = "There are no further processes where this is graded: this command was not run."
# line magics that install something, or that only Jupyter's own kernel has
OF_OTHER_KERNELS = "pip", "conda", "mamba", "micromamba", "uv", "autosave"
CELL_NAME = "<cell {}>"  # co_filename of code that a cell defined; {} is the cell's id


class Publisher(DisplayPublisher):
    """Adds the objects that a cell displays to its outputs."""

    def publish(self, data, metadata=None, source=None, **_):
        self.shell.collector.append({"data": data})


class Hook(DisplayHook):
    """Adds the value of a cell's last line to its outputs, without a prompt."""

    def quiet(self):
        return self.semicolon_at_end_of_expression(self.shell.source)

    def write_output_prompt(self):
        pass

    def write_format_data(self, format_dict, md_dict=None):
        self.shell.collector.append({"data": format_dict})

    def finish_displayhook(self):
        pass


class Compiler(CachingCompiler):
    """Gives each code object the name of its cell, so that a traceback names cell and line."""

    name = ""

    def get_code_name(self, raw_code, transformed_code, number):
        return self.name


class Shell(InteractiveShell):
    """An IPython shell without a terminal, a history file or a GUI event loop."""

    compiler_class = Type(Compiler)
    display_pub_class = Type(Publisher)
    displayhook_class = Type(Hook)
    collector = Any()
    source = Unicode()  # of the cell that is run
    lacking = Any()  # records the missing packages that cells asked for

    def enable_gui(self, gui=None):
        """Do nothing: `%matplotlib inline` calls this, and there is no GUI event loop."""

    def system(self, cmd):
        """Refuse `!command` and `%pip` with a message."""
        # Jupyter, too, lets a cell go on when a command fails
        print(NO_PROCESS, file=sys.stderr)

    def getoutput(self, cmd, split=True, depth=0):
        """Refuse `lines = !command` like `system`, and return no output."""
        self.system(cmd)
        return SList() if split else ""

    async def run_ast_nodes(
        self, nodelist, cell_name, interactivity="last_expr", compiler=compile, result=None
    ):
        """Run the statements of a cell up to the first that raises, and return whether it raised.

        Statements that need a missing package are left out.
        """
        statements = [part for node in nodelist for part in single_imports(node)]
        for place, statement in enumerate(statements, 1):
            mode = interactivity if place == len(statements) else "none"
            run = super().run_ast_nodes
            if not await run([statement], cell_name, mode, compiler, result):
                continue
            error = result.error_in_exec if result else None
            if not self.lacking.explains(error, statement, self.user_ns):
                return True
            result.error_in_exec = None
        return False

    def transform_cell(self, raw_cell):
        """Return the code of a cell as Python. Plain Python stays unchanged."""
        # IPython's search for magics takes longer than running most cells
        try:
            ast.parse(raw_cell)
        except Exception:  # a magic, or a mistake that IPython words better
            return super().transform_cell(raw_cell)
        return raw_cell

    def _get_exc_info(self, exc_tuple=None):
        kind, value, traceback = super()._get_exc_info(exc_tuple)
        return kind, shortened(value), traceback

    def _showtraceback(self, etype, evalue, stb):
        self.collector.error(etype, evalue, stb)


def make_shell() -> Shell:
    """Return the IPython shell of this process, without history or colours."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Context"
    shell = Shell.instance(config=config)
    shell.lacking = Lacking()
    for name in OF_OTHER_KERNELS:
        shell.register_magic_function(shell.system, "line", name)  # type: ignore[arg-type]
    return shell  # type: ignore[return-value]


def run_cell(shell: Shell, cell: str, source: str) -> tuple[list[dict], BaseException | None]:
    """Run the code `source` of the cell with the id `cell`.

    Return its outputs (see `outputs.py`), and the exception that ended the cell or None.
    """
    collector = Collector()
    shell.collector = collector
    shell.source, shell.compile.name = source, CELL_NAME.format(cell)
    with (
        contextlib.redirect_stdout(Stream(collector, "stdout")),
        contextlib.redirect_stderr(Stream(collector, "stderr")),
    ):
        try:
            result = shell.run_cell(source, store_history=False)
            error = result.error_before_exec or result.error_in_exec
        except Exception as failure:  # IPython's, about code or an exception that it cannot show
            collector.error(type(failure), failure, [])
            error = failure
    return collector.as_sent(), error
