"""Operations as tools of a model: what it is told of them, what it may give, how it reads their answers."""
