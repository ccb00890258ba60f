// Authentication: name and password become a token, which expires when it is not used for a while.

import type { Session } from "./session.system.ts";

export interface User {
  readonly name: string;
  readonly password: string;
}

type Authenticate = (session: Session, user: User) => Promise<string>;

export class Tokens {
  readonly #user: User | undefined;
  readonly #authenticate: Authenticate;
  #token: Promise<string> | undefined;

  constructor(user: User | undefined, authenticate: Authenticate) {
    this.#user = user;
    this.#authenticate = authenticate;
  }

  /** The token for a call; `undefined` when the client has no user. */
  async get(session: Session): Promise<string | undefined> {
    if (this.#user === undefined) return undefined;
    this.#token ??= this.#authenticate(session, this.#user);
    const asked = this.#token;
    try {
      return await asked;
    } catch (error) {
      if (this.#token === asked) this.#token = undefined;
      throw error;
    }
  }

  /** Drops a token that was refused; returns whether authenticating again may help. */
  async forget(token: string | undefined): Promise<boolean> {
    if (this.#user === undefined) return false;
    if ((await this.#token) === token) this.#token = undefined;
    return true;
  }
}
