package store

// Sessions, API tokens and sign-in failures: who someone is, as rows.
