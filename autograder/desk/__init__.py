"""Tools for staff: reports, marking, inquiries, similar submissions, oral exams, student data."""
