// The static token file, with one `token,user,uid,"group1,group2"` a line.
import { createHash, timingSafeEqual } from "node:crypto";
import type { User } from "../access.ts";
import type { TokenVerifier } from "./bearer-token.ts";

export function staticTokens(text: string): TokenVerifier {
  const known = text
    .split("\n")
    .map((line, index) => parseLine(line, index + 1))
    .filter((entry) => entry !== undefined);
  return {
    verify(token) {
      const hash = hashOf(token);
      return known.find((entry) => timingSafeEqual(entry.hash, hash))?.user;
    },
  };
}

function parseLine(line: string, number: number): { hash: Buffer; user: User } | undefined {
  if (line.trim() === "" || line.startsWith("#")) return undefined;
  const match = /^([^,]+),([^,]+),([^,]*)(?:,"?([^"]*)"?)?$/.exec(line.trim());
  if (match === null) {
    throw new Error(
      `Cannot read static tokens: line ${number} is not token,user,uid,"group1,group2"`,
    );
  }
  const [, token = "", name = "", uid = "", groups = ""] = match;
  return {
    hash: hashOf(token),
    user: {
      name,
      ...(uid === "" ? {} : { uid }),
      groups: groups
        .split(",")
        .map((group) => group.trim())
        .filter((group) => group !== ""),
    },
  };
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
