"""The trusted side: asks a candidate the questions of the graders and does all comparing itself."""
