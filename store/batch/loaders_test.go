package batch

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"countersign/domain"
)

var (
	errLoad    = errors.New("load failed")
	errMissing = errors.New("missing")
)

type row struct {
	key  int
	text string
}

func rowKey(r row) int { return r.key }

func TestLists(t *testing.T) {
	t.Parallel()
	load := Lists(func(_ context.Context, keys ...int) ([]row, error) {
		if !reflect.DeepEqual(keys, []int{1, 2}) {
			t.Errorf("loaded %v", keys)
		}
		return []row{{1, "a"}, {1, "b"}}, nil
	}, rowKey)
	values, errs := load(context.Background(), []int{1, 2, 1})
	want := [][]row{{{1, "a"}, {1, "b"}}, nil, {{1, "a"}, {1, "b"}}}
	if !reflect.DeepEqual(values, want) || errors.Join(errs...) != nil {
		t.Errorf("got %v, %v", values, errs)
	}
	if values[0][0].text = "changed"; values[2][0].text != "a" {
		t.Error("two callers share a slice")
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	load := Rows(func(_ context.Context, keys []int) ([]row, error) {
		return []row{{2, "b"}}, nil
	}, rowKey,
		func() error { return errMissing })
	values, errs := load(context.Background(), []int{1, 2})
	if values[1].text != "b" || errs[1] != nil || !errors.Is(errs[0], errMissing) {
		t.Errorf("got %v, %v", values, errs)
	}
}

func TestShared(t *testing.T) {
	t.Parallel()
	calls := 0
	load := Shared(func(context.Context) (int, error) { calls++; return 7, nil })
	values, errs := load(context.Background(), make([]struct{}, 3))
	if !reflect.DeepEqual(values, []int{7, 7, 7}) || errors.Join(errs...) != nil || calls != 1 {
		t.Errorf("got %v, %v in %d calls", values, errs, calls)
	}
}

// If several requests fail together, each is executed individually; a single one has its error, and
// an unavailable database fails all.
func TestErrorOfEach(t *testing.T) {
	t.Parallel()
	unavailable := domain.Errorf(domain.Unavailable, "Unavailable.")
	for _, tc := range []struct {
		err  error
		n    int
		want error
	}{{nil, 2, nil}, {errLoad, 1, errLoad}, {errLoad, 2, ErrNotBatched},
		{unavailable, 2, unavailable}} {
		load := Ordered(func(context.Context, []int) ([]int, []error, error) {
			return make([]int, tc.n), make([]error, tc.n), tc.err
		})
		_, errs := load(context.Background(), make([]int, tc.n))
		for _, err := range errs {
			if !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("%v of %d: %v, want %v", tc.err, tc.n, err, tc.want)
			}
		}
	}
}

func TestSingle(t *testing.T) {
	t.Parallel()
	if got, err := Single([]int{1}, []error{nil}, nil); got != 1 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := Single([]int{1}, []error{errMissing}, nil); !errors.Is(err, errMissing) {
		t.Errorf("got %v", err)
	}
	if _, err := Single[int](nil, nil, errLoad); !errors.Is(err, errLoad) {
		t.Errorf("got %v", err)
	}
}
