// Finds fields that would be ignored because of their spelling: `apiVips` for `api_vips`.

export interface Misspelled {
  readonly given: string;
  readonly known: string;
}

/** The names that differ from a known one by case, underscores or hyphens only. */
export function misspelledNames(
  given: readonly string[],
  known: readonly string[],
): readonly Misspelled[] {
  return given.flatMap((name) => {
    if (known.includes(name)) return [];
    const meant = known.find((one) => bare(one) === bare(name));
    return meant === undefined ? [] : [{ given: name, known: meant }];
  });
}

function bare(name: string): string {
  return name.replaceAll(/[_-]/g, "").toLowerCase();
}
