return [query]
