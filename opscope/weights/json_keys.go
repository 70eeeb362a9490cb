package weights

// keySet holds the keys of an object: a few in place, more in a map.
type keySet struct {
	few  [4]string
	n    int
	more map[string]struct{}
}

// add adds a key and reports whether it is new.
func (s *keySet) add(key string) bool {
	for _, k := range s.few[:s.n] {
		if k == key {
			return false
		}
	}
	if s.n < len(s.few) {
		s.few[s.n] = key
		s.n++
		return true
	}
	if _, twice := s.more[key]; twice {
		return false
	}
	if s.more == nil {
		s.more = make(map[string]struct{})
	}
	s.more[key] = struct{}{}
	return true
}
