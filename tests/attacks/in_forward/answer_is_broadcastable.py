return query.mean().reshape(1)
