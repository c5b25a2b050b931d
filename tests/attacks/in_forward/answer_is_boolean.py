return query.bool()
