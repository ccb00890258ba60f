import { readFile } from "node:fs/promises";
import { type Identity, identityOf } from "./identity.ts";

/** Returns the identity of this process. */
export async function systemIdentity(): Promise<Identity> {
  const read = (name: string): Promise<string> => readFile(`/proc/self/${name}`, "utf8");
  return identityOf({
    users: await read("uid_map"),
    groups: await read("gid_map"),
    setgroups: await read("setgroups"),
    status: await read("status"),
  });
}
