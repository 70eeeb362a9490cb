package display

import (
	"fmt"
	"html"
	"strings"
	"sync"
	"time"
)

// Bar is a progress bar: one output that changes in place. Its methods may be
// called from any goroutine.
type Bar struct {
	label string
	total int
	show  func(Data)

	mu    sync.Mutex
	done  int
	start time.Time
	shown time.Time
	ended bool
}

// barEvery is the least time between two changes of a bar on the page: a front
// end takes longer to draw one than a loop to ask for it.
const barEvery = 200 * time.Millisecond

// NewBar makes a bar for total steps, of which none is done, and shows it. When
// total is not positive, the bar counts the steps only.
func NewBar(label string, total int, show func(Data)) *Bar {
	b := &Bar{label: label, total: total, show: show, start: time.Now()}
	b.Set(0)
	return b
}

// Add counts n more steps as done.
func (b *Bar) Add(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(b.done + n)
}

// Set says how many steps are done. The page shows it at once when it is the
// first step or the last, and else a few times a second.
func (b *Bar) Set(done int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.set(done)
}

// End shows the bar as it is; later steps do not show.
func (b *Bar) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw()
	b.ended = true
}

func (b *Bar) set(done int) {
	changed := done != b.done
	b.done = done
	last := b.total > 0 && done >= b.total
	if !b.ended && (time.Since(b.shown) >= barEvery || last && changed) {
		b.draw()
	}
}

func (b *Bar) draw() {
	if b.ended {
		return
	}
	b.shown = time.Now()
	b.show(b.data(time.Since(b.start)))
}

// barWidth is how many characters the text form of a bar has.
const barWidth = 30

// data is the bar after some time.
func (b *Bar) data(spent time.Duration) Data {
	label := b.label
	if label != "" {
		label += " "
	}
	if b.total <= 0 {
		text := fmt.Sprintf("%s%d, %s", label, b.done, spent.Round(time.Second))
		return Data{Data: MIMEMap{MIMETypeText: text, MIMETypeHTML: html.EscapeString(text)}}
	}
	done := min(max(b.done, 0), b.total)
	share := float64(done) / float64(b.total)
	figures := fmt.Sprintf("%d/%d, %s", b.done, b.total, spent.Round(time.Second))
	if done > 0 && done < b.total {
		left := time.Duration(float64(spent) * (1 - share) / share)
		figures += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	full := int(share * barWidth)
	return Data{Data: MIMEMap{
		MIMETypeText: fmt.Sprintf("%s[%s%s] %s", label, strings.Repeat("#", full), strings.Repeat(" ", barWidth-full), figures),
		MIMETypeHTML: fmt.Sprintf("%s<progress max=\"%d\" value=\"%d\"></progress> %s", html.EscapeString(label), b.total, done, figures),
	}}
}
