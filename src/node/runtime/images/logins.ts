// Which login an image is pulled with. Places are written as Docker's configuration has them: a host, a
// host with a path, labels of a host as `*`, with or without a scheme and an old version at the end.

/** What a registry is told. */
export interface RegistryLogin {
  /** Whose images it is for. */
  readonly place: string;
  readonly user: string;
  readonly password: string;
}

/** Those that are for the image, the most specific place first. */
export function loginsFor(
  reference: string,
  logins: readonly RegistryLogin[],
): readonly RegistryLogin[] {
  const [registry = "", ...path] = reference.split(/[@]|:(?=[^/]*$)/)[0]?.split("/") ?? [];
  return logins
    .map((login) => ({ login, place: placeOf(login.place) }))
    .filter(({ place }) => isHost(place.host, registry) && isPrefix(place.path, path))
    .toSorted((one, other) => other.place.path.length - one.place.path.length)
    .map(({ login }) => login);
}

/** What skopeo reads: this login for that registry, and no other. */
export function authFileText(reference: string, { user, password }: RegistryLogin): string {
  const [registry = ""] = reference.split("/");
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  return JSON.stringify({ auths: { [registry]: { auth } } });
}

interface Place {
  readonly host: string;
  readonly path: readonly string[];
}

/** Docker's own registry goes by several names. */
const hub = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);

function placeOf(text: string): Place {
  const plain = text.replace(/^https?:\/\//, "").replace(/\/(?:v[12]\/?)?$/, "");
  const [host = "", ...path] = plain.split("/");
  return { host: hub.has(host) ? "docker.io" : host, path };
}

function isHost(pattern: string, host: string): boolean {
  const [wanted, labels] = [pattern.split("."), host.split(".")];
  return (
    wanted.length === labels.length &&
    wanted.every((each, index) => isLabel(each, labels[index] ?? ""))
  );
}

/** `*` stands for any part of a label. */
function isLabel(pattern: string, label: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(label);
}

function isPrefix(start: readonly string[], whole: readonly string[]): boolean {
  return start.every((part, index) => whole[index] === part);
}
