// Which of the metrics of a Prometheus are ours.

/** Programs are told apart by their job, which begins with "tandem": docs/operators.md has the scrape configuration. */
export const ours = '{job=~"tandem.*"}';
