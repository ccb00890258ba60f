// The user of a container: the pod's choice, else the image's, with names looked up in the image.
import { ContainerError } from "../error.ts";
import type { Identity } from "../machine/identity.ts";
import type { ContainerUser } from "../port.ts";

/** The texts of an image's /etc/passwd and /etc/group. */
export interface Accounts {
  readonly passwd: string;
  readonly group: string;
}

export interface RunningUser {
  readonly uid: number;
  readonly gid: number;
  readonly additionalGids: readonly number[];
}

export interface UserContext {
  /** The image's user as `USER[:GROUP]`, each a number or a name. */
  readonly ofImage: string;
  readonly accounts: Accounts;
  readonly identity: Identity;
}

/** Resolves the user and the groups; throws for ids that do not exist in our user namespace. */
export function resolveUser(wanted: ContainerUser, context: UserContext): RunningUser {
  const { ofImage: image, accounts, identity } = context;
  const [user = "", group = ""] = (wanted.uid === undefined ? image : `${wanted.uid}`).split(":");
  const found = findUser(user, accounts.passwd);
  const gid = wanted.gid ?? (group === "" ? found.gid : findGroup(group, accounts.group));
  const asked = wanted.supplementalGroups ?? [];
  // Images put root into many groups; as nobody asked for these, ids that do not exist here are left out.
  const ofImage = wanted.isStrict === true ? [] : groupsOf(found.name, accounts.group);
  const given = ofImage.filter((id) => identity.hasGroup(id));
  if (!identity.hasUser(found.uid)) refuse(`user ${found.uid}`, identity);
  for (const id of [gid, ...asked]) if (!identity.hasGroup(id)) refuse(`group ${id}`, identity);
  return {
    uid: found.uid,
    gid,
    additionalGids: identity.canSetGroups ? [...new Set([...given, ...asked])] : [],
  };
}

function refuse(who: string, { isRootless }: Identity): never {
  const needed = "several users need newuidmap and a range in /etc/subuid and /etc/subgid";
  const state = isRootless
    ? `this rootless cluster does not have it; ${needed}`
    : "it is not among the users of its pod, whose hostUsers is false";
  throw new ContainerError(`Cannot run as ${who}: ${state}`, { reason: "not-possible-here" });
}

interface Found {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

function findUser(user: string, passwd: string): Found {
  if (user === "") return findUser("0", passwd);
  for (const [name = "", , uid, gid] of entriesOf(passwd)) {
    if (name === user || uid === user) return { name, uid: Number(uid), gid: Number(gid) };
  }
  if (isNumber(user)) return { name: "", uid: Number(user), gid: 0 };
  return unknown("user", { name: user, file: "/etc/passwd" });
}

function findGroup(group: string, groups: string): number {
  const found = entriesOf(groups).find(([name, , gid]) => name === group || gid === group);
  if (found !== undefined) return Number(found[2]);
  if (isNumber(group)) return Number(group);
  return unknown("group", { name: group, file: "/etc/group" });
}

function groupsOf(user: string, groups: string): readonly number[] {
  if (user === "") return [];
  return entriesOf(groups)
    .filter(([, , , members = ""]) => members.split(",").includes(user))
    .map(([, , gid]) => Number(gid));
}

function entriesOf(file: string): readonly string[][] {
  return file.split("\n").map((line) => line.trim().split(":"));
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

function unknown(kind: string, { name, file }: { name: string; file: string }): never {
  throw new ContainerError(`Cannot run as ${kind} ${name}: the image's ${file} does not have it`, {
    reason: "failed",
  });
}
