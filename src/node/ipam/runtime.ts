/**
 * The built-ins of Bun, the plugin's runtime, for which Node would load libraries. Tests and the command
 * line run under Node, where `bun` is undefined and the libraries are loaded.
 */
export interface Bun {
  readonly YAML: { readonly parse: (text: string) => unknown };
}

/** The options that Bun's `fetch` takes beyond the standard ones. */
export interface BunRequestOptions {
  readonly tls?: {
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly serverName?: string | undefined;
    readonly rejectUnauthorized?: boolean;
  };
}

export const bun: Bun | undefined = (globalThis as { Bun?: Bun }).Bun;
