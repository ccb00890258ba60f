/** Resource versions, by resource. */
export type Revisions = Readonly<Record<string, string>>;
