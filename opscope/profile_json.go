package opscope

import (
	"encoding/json"
	"fmt"
	"math"
)

// The JSON of a profile has null where a float is NaN, which JSON cannot hold.
type (
	plainProfile Profile
	profileJSON  struct {
		plainProfile
		Density    *float64 `json:"density"`
		Norm       *float64 `json:"norm"`
		Min        *float64 `json:"min"`
		Max        *float64 `json:"max"`
		Mean       *float64 `json:"mean"`
		Kurtosis   *float64 `json:"kurtosis"`
		Ternary    *float64 `json:"ternary"`
		StableRank *float64 `json:"stable_rank"`
	}
	plainQuant QuantResult
	quantJSON  struct {
		plainQuant
		Error         *float64 `json:"error"`
		WeightedError *float64 `json:"weighted_error,omitempty"`
	}
	plainOutliers Outliers
	outliersJSON  struct {
		plainOutliers
		Ratio    *float64 `json:"ratio"`
		Smallest *float64 `json:"smallest"`
	}
	plainNM NM
	nmJSON  struct {
		plainNM
		Error *float64 `json:"error"`
	}
)

// MarshalJSON writes null for NaN, and singular values that are in Spectrum
// not again in Spectral.
func (p Profile) MarshalJSON() ([]byte, error) {
	if p.Spectral != nil && p.Spectral.Exact {
		spectral := *p.Spectral
		spectral.Values = nil
		p.Spectral = &spectral
	}
	return json.Marshal(profileJSON{plainProfile(p), nanToNil(p.Density), nanToNil(p.Norm), nanToNil(p.Min), nanToNil(p.Max),
		nanToNil(p.Mean), nanToNil(p.Kurtosis), nanToNil(p.Ternary), nanToNil(p.StableRank)})
}

// UnmarshalJSON reads what MarshalJSON writes. A sketch of singular values without a
// bound for each is an error.
func (p *Profile) UnmarshalJSON(data []byte) error {
	var j profileJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*p = Profile(j.plainProfile)
	p.Density, p.Norm, p.Min, p.Max = nilToNaN(j.Density), nilToNaN(j.Norm), nilToNaN(j.Min), nilToNaN(j.Max)
	if s := p.Spectral; s != nil {
		if s.Exact {
			s.Values = p.Spectrum
		} else if len(s.Values) == 0 || len(s.Values) != len(s.Upper) {
			return fmt.Errorf("opscope: a sketch of %d singular values with %d bounds", len(s.Values), len(s.Upper))
		}
	}
	p.Mean, p.Kurtosis, p.Ternary, p.StableRank = nilToNaN(j.Mean), nilToNaN(j.Kurtosis), nilToNaN(j.Ternary), nilToNaN(j.StableRank)
	return nil
}

// MarshalJSON writes null for NaN.
func (q QuantResult) MarshalJSON() ([]byte, error) {
	j := quantJSON{plainQuant: plainQuant(q), Error: nanToNil(q.Error)}
	if q.WeightedError != 0 {
		j.WeightedError = nanToNil(q.WeightedError)
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads null as NaN.
func (q *QuantResult) UnmarshalJSON(data []byte) error {
	var j quantJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*q = QuantResult(j.plainQuant)
	q.Error = nilToNaN(j.Error)
	if j.WeightedError != nil {
		q.WeightedError = *j.WeightedError
	}
	return nil
}

// MarshalJSON writes null for NaN.
func (o Outliers) MarshalJSON() ([]byte, error) {
	return json.Marshal(outliersJSON{plainOutliers(o), nanToNil(o.Ratio), nanToNil(o.Smallest)})
}

// UnmarshalJSON reads null as NaN.
func (o *Outliers) UnmarshalJSON(data []byte) error {
	var j outliersJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*o = Outliers(j.plainOutliers)
	o.Ratio, o.Smallest = nilToNaN(j.Ratio), nilToNaN(j.Smallest)
	return nil
}

// MarshalJSON writes null for NaN.
func (n NM) MarshalJSON() ([]byte, error) {
	return json.Marshal(nmJSON{plainNM(n), nanToNil(n.Error)})
}

// UnmarshalJSON reads null as NaN.
func (n *NM) UnmarshalJSON(data []byte) error {
	var j nmJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*n = NM(j.plainNM)
	n.Error = nilToNaN(j.Error)
	return nil
}

func nanToNil(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

func nilToNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
