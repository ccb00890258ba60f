// Chooses the logins that an image is pulled with. Places are written as in Docker's configuration: a host, a
// host with a path, `*` in labels of the host, with or without a scheme and a trailing API version.

/** A login to a registry. */
export interface RegistryLogin {
  /** The registry, or a part of it, that the login is for. */
  readonly place: string;
  readonly user: string;
  readonly password: string;
}

/** Returns the logins that match the image, the most specific place first. */
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

/** Returns an auth file for skopeo with just this login. */
export function authFileText(reference: string, { user, password }: RegistryLogin): string {
  const [registry = ""] = reference.split("/");
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  return JSON.stringify({ auths: { [registry]: { auth } } });
}

interface Place {
  readonly host: string;
  readonly path: readonly string[];
}

/** The names of Docker Hub. */
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

/** Matches a label of a host name; `*` stands for any part of it. */
function isLabel(pattern: string, label: string): boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`).test(label);
}

function isPrefix(start: readonly string[], whole: readonly string[]): boolean {
  return start.every((part, index) => whole[index] === part);
}
