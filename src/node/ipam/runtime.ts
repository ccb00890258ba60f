/**
 * What the plugin's runtime has built in, and Node would load libraries for. Tests and the command
 * line run under Node, where this is undefined and the libraries are loaded.
 */
export interface Bun {
  readonly YAML: { readonly parse: (text: string) => unknown };
}

/** What Bun's `fetch` takes beside what every `fetch` does. */
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
