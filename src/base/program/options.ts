// Declares each option as one record. Flags, environment, configuration file, help, reference and completion
// all come from it, and so does the type of the parsed value.

/** The type of an option: how its text becomes a value. */
export interface OptionType<T> {
  /** The placeholder for the value in help texts: `--nodes COUNT`. */
  readonly placeholder: string;
  /** Parses every text the user wrote, in order; throws an Error that says what is expected. */
  parse(texts: readonly string[]): T;
  /** Whether the flag needs no value: `--wait`, `--no-wait`. */
  readonly isSwitch?: boolean;
  /** Whether there may be several values, by repeated flags or by a list in the configuration file. */
  readonly isList?: boolean;
  /** The only values that are allowed. */
  readonly choices?: readonly string[];
  /** The names that a shell should offer as values. */
  readonly completes?: "files" | "directories";
}

export interface Option<T = unknown> {
  readonly type: OptionType<T>;
  /** The help text: a sentence or two. */
  readonly help: string;
  /** The default, as a user would write it. Without one an optional value may be `undefined`. */
  readonly default?: string | number | boolean;
  readonly required?: boolean;
  /** The flag, if not the property's name in kebab case. */
  readonly flag?: string;
  /** The one-letter flag, for `-o`. */
  readonly short?: string;
  /** The environment variable, if not `TANDEM_` and the flag in capitals; `false` for none. */
  readonly env?: string | false;
  /** The key in the configuration file (dots descend), if not the property's name; `false` for none. */
  readonly key?: string | false;
  /** The heading in help texts. */
  readonly group?: string;
  /** Whether the option is left out of help, reference and completion. */
  readonly hidden?: boolean;
}

export type Options = Readonly<Record<string, Option>>;

/** The parsed values: `undefined` only for options that are neither required nor have a default. */
export type OptionValues<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

type ValueOf<O> = O extends { readonly type: OptionType<infer T> }
  ? O extends { readonly default: string | number | boolean } | { readonly required: true }
    ? T
    : T | undefined
  : never;

/** Keeps the exact type of a set of options that several commands share. */
export function defineOptions<const O extends Options>(options: O): O {
  return options;
}

/** An option with its flag, environment variable and configuration key. */
export interface NamedOption {
  /** The property of the parsed values. */
  readonly property: string;
  readonly option: Option;
  /** The flag without dashes. */
  readonly flag: string;
  readonly env: string | undefined;
  readonly key: string | undefined;
}

export function nameOptions(options: Options): NamedOption[] {
  return Object.entries(options).map(([property, option]) => {
    const flag = option.flag ?? property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const env = option.env ?? `TANDEM_${flag.toUpperCase().replaceAll("-", "_")}`;
    const key = option.key ?? property;
    return { property, option, flag, env: env || undefined, key: key || undefined };
  });
}
