import { ImageError } from "../error.ts";

/** A parsed image name: `nginx` is `docker.io/library/nginx:latest`. */
export interface ImageName {
  /** The full reference: registry, path, and a tag or a digest. */
  readonly reference: string;
  readonly registry: string;
}

export function parseImageName(name: string): ImageName {
  const [, place = "", tag, digest] = grammar.exec(name) ?? refuse(name);
  const [first = "", ...others] = place.split("/");
  const hasRegistry = others.length > 0 && /[.:]|^localhost$/.test(first);
  const registry = hasRegistry ? first : "docker.io";
  const components = hasRegistry ? others : [first, ...others];
  if (!components.every((component) => pathComponent.test(component))) refuse(name);
  const path =
    registry === "docker.io" && components.length === 1 ? ["library", ...components] : components;
  // The digest wins over the tag, since it is more exact and registries accept only one of them.
  const version = digest === undefined ? `:${tag ?? "latest"}` : `@${digest}`;
  return { registry, reference: `${[registry, ...path].join("/")}${version}` };
}

/** Returns whether the registry is on this machine: these are accessed without TLS, as Docker does. */
export function isLoopback(registry: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(registry);
}

const pathComponent = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

const grammar =
  /^((?:(?:[a-zA-Z0-9][a-zA-Z0-9.-]*|\[[0-9a-fA-F:]+\])(?::\d+)?\/)?[a-z0-9][a-z0-9._/-]*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

function refuse(name: string): never {
  throw new ImageError(`Cannot use image "${name}": it is not a name as [REGISTRY/]PATH[:TAG]`, {
    reason: "invalid-name",
  });
}
