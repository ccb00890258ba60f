// One record per option. Flags, environment, configuration file, help, reference and completion all
// come from it, and so does the type of the parsed value.

/** How the text of an option becomes a value. */
export interface OptionType<T> {
  /** Stands for the value in help texts: `--nodes COUNT`. */
  readonly placeholder: string;
  /** Given every text the user wrote, in order; throws an Error that says what is expected. */
  parse(texts: readonly string[]): T;
  /** Needs no value: `--wait`, `--no-wait`. */
  readonly isSwitch?: boolean;
  /** Takes several values, by repeated flags or by a list in the configuration file. */
  readonly isList?: boolean;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** What a shell should offer as values. */
  readonly completes?: "files" | "directories";
}

export interface Option<T = unknown> {
  readonly type: OptionType<T>;
  /** A sentence or two for people. */
  readonly help: string;
  /** As a user would write it. Without one the value may be `undefined`, unless it is required. */
  readonly default?: string | number | boolean;
  readonly required?: boolean;
  /** The flag, if not the property's name in kebab case. */
  readonly flag?: string;
  /** One letter, for `-o`. */
  readonly short?: string;
  /** The environment variable, if not `TANDEM_` and the flag in capitals; `false` for none. */
  readonly env?: string | false;
  /** The key in the configuration file (dots descend), if not the property's name; `false` for none. */
  readonly key?: string | false;
  /** The heading in help texts. */
  readonly group?: string;
  /** Left out of help, reference and completion. */
  readonly hidden?: boolean;
}

export type Options = Readonly<Record<string, Option>>;

/** What the options parse to: `undefined` only where there is neither a default nor a requirement. */
export type OptionValues<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

type ValueOf<O> = O extends { readonly type: OptionType<infer T> }
  ? O extends { readonly default: string | number | boolean } | { readonly required: true }
    ? T
    : T | undefined
  : never;

/** Gives a set of options that several commands share its exact type. */
export function defineOptions<const O extends Options>(options: O): O {
  return options;
}

/** An option with every name it goes by. */
export interface NamedOption {
  /** The property of the parsed values. */
  readonly property: string;
  readonly option: Option;
  /** Without dashes. */
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
