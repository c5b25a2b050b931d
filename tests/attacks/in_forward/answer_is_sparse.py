# state: error
return query.to_sparse()
