// A part of a kubeconfig file, read field by field, so that errors name the file and the field.

export class KubeconfigError extends Error {
  override readonly name = "KubeconfigError";
  readonly reason = "InvalidKubeconfig";
}

/** The position of a value: for errors, and for paths that are relative to the file. */
export interface Place {
  readonly file: string;
  /** The field path, such as `users[0].user`; "" is the whole file. */
  readonly path: string;
}

export class Fields {
  readonly place: Place;
  readonly #values: Readonly<Record<string, unknown>>;

  private constructor(place: Place, values: Readonly<Record<string, unknown>>) {
    this.place = place;
    this.#values = values;
  }

  /** The fields of a value; null and undefined have none. */
  static of(place: Place, value: unknown): Fields {
    if (value === undefined || value === null) return new Fields(place, {});
    if (typeof value !== "object" || Array.isArray(value)) throw wrong(place, "fields", value);
    return new Fields(place, value as Record<string, unknown>);
  }

  has(name: string): boolean {
    const value = this.#values[name];
    return value !== undefined && value !== null && value !== "";
  }

  /** The text of a field; undefined when it is empty. */
  text(name: string): string | undefined {
    if (!this.has(name)) return undefined;
    const value = this.#values[name];
    if (typeof value !== "string") throw wrong(this.#inside(name), "a text", value);
    return value;
  }

  required(name: string): string {
    return this.text(name) ?? this.fail(name, "is missing");
  }

  flag(name: string): boolean {
    const value = this.#values[name] ?? false;
    if (typeof value !== "boolean") throw wrong(this.#inside(name), "true or false", value);
    return value;
  }

  fields(name: string): Fields {
    return Fields.of(this.#inside(name), this.#values[name]);
  }

  list(name: string): readonly Fields[] {
    return this.#elements(name).map((value, index) =>
      Fields.of(this.#inside(`${name}[${index}]`), value),
    );
  }

  texts(name: string): readonly string[] {
    return this.#elements(name).map((value, index) => {
      if (typeof value === "string") return value;
      throw wrong(this.#inside(`${name}[${index}]`), "a text", value);
    });
  }

  names(): readonly string[] {
    return Object.keys(this.#values);
  }

  /** The value of a field, unchecked, to be passed on as it is. */
  raw(name: string): unknown {
    return this.#values[name];
  }

  fail(name: string, state: string, cause?: unknown): never {
    const { file, path } = this.#inside(name);
    throw new KubeconfigError(`Cannot use ${file}: ${path} ${state}`, { cause });
  }

  #elements(name: string): readonly unknown[] {
    const value = this.#values[name] ?? [];
    if (!Array.isArray(value)) throw wrong(this.#inside(name), "a list", value);
    return value;
  }

  #inside(name: string): Place {
    const { file, path } = this.place;
    return { file, path: path === "" ? name : `${path}.${name}` };
  }
}

/** The error of a wrong type; it names the value's type only, since the value may be a secret. */
function wrong({ file, path }: Place, wanted: string, value: unknown): KubeconfigError {
  const found = Array.isArray(value) ? "a list" : value === null ? "nothing" : typeof value;
  const subject = path === "" ? "it" : path;
  return new KubeconfigError(`Cannot use ${file}: ${subject} must be ${wanted}, not ${found}`);
}
