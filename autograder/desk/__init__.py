"""What staff do with results: reports, marking, inquiries, similar submissions, oral exams, student data."""
