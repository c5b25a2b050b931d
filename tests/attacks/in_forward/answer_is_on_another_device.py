# state: error
return query.to("meta")
