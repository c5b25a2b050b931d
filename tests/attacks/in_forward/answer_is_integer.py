return (query * 1000).long()
