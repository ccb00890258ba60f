/** One image of the suite: what stands in it beside the common Debian root, and how it starts. */
export interface Recipe {
  /** Programs of ours or of the suite, by the path they have in the image. */
  readonly programs?: Readonly<Record<string, Program>>;
  /** Text files by path; those that begin with `#!` can be run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Symbolic links by path. */
  readonly links?: Readonly<Record<string, string>>;
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
  readonly user?: string;
}

/** A name that `bench/peers/build` knows. */
type Program = "agnhost" | "nonewprivs" | "sample-apiserver";

const agnhost: Recipe = {
  programs: { "/agnhost": "agnhost" },
  links: { "/agnhost-2": "agnhost" },
  files: { "/uploads/.keep": "" },
  entrypoint: ["/agnhost"],
  command: ["pause"],
};

/** Tests expect the words of busybox's shell, and variables with dashes in their names, which Debian's busybox drops. */
const shell = `#!/bin/bash
if ! env | grep -qE '^[^=]*-[^=]*='; then exec -a /bin/sh busybox sh "$@"; fi
exec -a /bin/sh bash "$@"
`;

/** The images by the last part of their name; the suite itself says which registries and versions it wants. */
export const recipes: Readonly<Record<string, Recipe>> = {
  agnhost,
  busybox: {
    files: { "/usr/bin/sh": shell },
    links: { "/usr/bin/sysctl": "/usr/sbin/sysctl" },
    command: ["sh"],
  },
  etcd: { links: { "/usr/local/bin/etcd": "/usr/bin/etcd" }, command: ["etcd"] },
  "glibc-dns-testing": { command: ["sh"] },
  "ipc-utils": { command: ["sh"] },
  kitten: picture("kitten"),
  nautilus: picture("nautilus"),
  nginx: { command: ["nginx", "-g", "daemon off;"] },
  nonewprivs: { programs: { "/usr/local/bin/nnp": "nonewprivs" }, command: ["nnp"] },
  nonroot: { user: "1234", command: ["sh"] },
  pause: { ...agnhost, entrypoint: ["/agnhost", "pause"], command: [] },
  perl: { command: ["perl"] },
  "sample-apiserver": {
    programs: { "/sample-apiserver": "sample-apiserver" },
    entrypoint: ["/sample-apiserver"],
  },
};

/** An image that serves the name of its picture, by which tests tell two versions of a workload apart. */
function picture(name: string): Recipe {
  return {
    ...agnhost,
    files: { "/data.json": JSON.stringify({ image: `${name}.jpg` }), [`/${name}.jpg`]: name },
    command: ["test-webserver"],
  };
}
