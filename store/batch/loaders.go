package batch

import (
	"context"

	"countersign/domain"
)

// Shared makes a batch of requests without arguments: all callers get the value of one call.
func Shared[O any](load func(context.Context) (O, error)) Func[struct{}, O] {
	return func(ctx context.Context, inputs []struct{}) ([]O, []error) {
		value, err := load(ctx)
		values, errs := SameError[O](len(inputs), err)
		for i := range values {
			values[i] = value
		}
		return values, errs
	}
}

// Lists makes a batch of requests for all rows with one key each. Every caller gets a slice of its
// own.
func Lists[K comparable, R any](load func(context.Context, ...K) ([]R, error),
	keyOf func(R) K) Func[K, []R] {
	return func(ctx context.Context, keys []K) ([][]R, []error) {
		rows, err := load(ctx, distinct(keys)...)
		values, errs := SameError[[]R](len(keys), ErrorOfEach(err, len(keys)))
		if err != nil {
			return values, errs
		}
		byKey := make(map[K][]R, len(keys))
		for _, row := range rows {
			byKey[keyOf(row)] = append(byKey[keyOf(row)], row)
		}
		for i, key := range keys {
			values[i] = append([]R(nil), byKey[key]...)
		}
		return values, errs
	}
}

// Rows makes a batch of requests for one row each. A row that does not exist is the missing error,
// without a second query, so that the response time does not reveal which rows exist.
func Rows[K comparable, R any](load func(context.Context, []K) ([]R, error), keyOf func(R) K,
	missing func() error) Func[K, R] {
	return func(ctx context.Context, keys []K) ([]R, []error) {
		rows, err := load(ctx, distinct(keys))
		values, errs := SameError[R](len(keys), ErrorOfEach(err, len(keys)))
		if err != nil {
			return values, errs
		}
		byKey := make(map[K]R, len(keys))
		for _, row := range rows {
			byKey[keyOf(row)] = row
		}
		for i, key := range keys {
			value, ok := byKey[key]
			if values[i] = value; !ok {
				errs[i] = missing()
			}
		}
		return values, errs
	}
}

// Ordered makes a batch of a load that returns its results in the order of the inputs, or one error
// for all.
func Ordered[I, O any](load func(context.Context, []I) ([]O, []error, error)) Func[I, O] {
	return func(ctx context.Context, inputs []I) ([]O, []error) {
		values, errs, err := load(ctx, inputs)
		if err != nil {
			return SameError[O](len(inputs), ErrorOfEach(err, len(inputs)))
		}
		return values, errs
	}
}

// ErrorOfEach returns the error that each of n requests gets from a failed batch. If there were
// several, each is executed individually, because any of them may have caused the failure; an
// unavailable database fails all.
func ErrorOfEach(err error, n int) error {
	if err == nil || n == 1 || domain.HasCode(err, domain.Unavailable) {
		return err
	}
	return ErrNotBatched
}

// Single returns the result of an Ordered load that was called with one input.
func Single[O any](values []O, errs []error, err error) (O, error) {
	if err == nil && len(values) == 1 {
		return values[0], errs[0]
	}
	var none O
	return none, err
}

func distinct[K comparable](keys []K) []K {
	known := make(map[K]bool, len(keys))
	unique := make([]K, 0, len(keys))
	for _, key := range keys {
		if !known[key] {
			known[key] = true
			unique = append(unique, key)
		}
	}
	return unique
}
