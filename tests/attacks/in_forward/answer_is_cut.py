return query[:1]
