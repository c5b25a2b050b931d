# state: error
return query + 1j * query
