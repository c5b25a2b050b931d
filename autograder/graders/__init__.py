"""Hidden graders, one folder an assignment. Nothing in here is ever seen by a submission."""
