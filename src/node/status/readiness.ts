/** The readiness of a node: what each of its parts still lacks to run pods, in words. */
export class Readiness {
  readonly #lacking = new Map<string, string>();
  readonly #onChange: () => void;

  constructor(parts: readonly string[], onChange: () => void) {
    this.#onChange = onChange;
    for (const part of parts) this.#lacking.set(part, `${part} is not ready yet`);
  }

  get missing(): readonly string[] {
    return [...this.#lacking.values()];
  }

  ready(part: string): void {
    if (this.#lacking.delete(part)) this.#onChange();
  }

  lacks(part: string, reason: string): void {
    if (this.#lacking.get(part) === reason) return;
    this.#lacking.set(part, reason);
    this.#onChange();
  }
}
