// Questions of expressions to the authorizer. An expression is evaluated at once, but some answers take time:
// evaluation is then given up, and done again when the answer is there.
import type { AccessDecision, AccessQuestion, AskAccess } from "../../../../api/cel/authorizer.ts";
import type { Attributes, Authorizer, User } from "../../access.ts";

class PendingDecision extends Error {
  readonly settled: Promise<void>;

  constructor(settled: Promise<void>) {
    super("Cannot evaluate the expression yet: the authorizer has not answered");
    this.settled = settled;
  }
}

/** The most questions that one evaluation asks; their cost leaves room for fewer. */
const mostQuestions = 64;

export class Decisions {
  readonly #authorizer: Authorizer;
  readonly #user: User;
  readonly #known = new Map<string, AccessDecision>();

  constructor(authorizer: Authorizer, user: User) {
    this.#authorizer = authorizer;
    this.#user = user;
  }

  /** Does work that may ask; it is done again until all its questions are answered. */
  async during<Result>(work: () => Result): Promise<Result> {
    for (let round = 0; round < mostQuestions; round++) {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof PendingDecision)) throw error;
        await error.settled;
      }
    }
    throw new Error("Cannot evaluate the expression: it asks the authorizer too often");
  }

  readonly ask: AskAccess = (question) => {
    const key = JSON.stringify(question);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    throw new PendingDecision(this.#answer(key, question));
  };

  async #answer(key: string, question: AccessQuestion): Promise<void> {
    this.#known.set(key, await this.#decide(question));
  }

  async #decide(question: AccessQuestion): Promise<AccessDecision> {
    const user = userOf(question, this.#user);
    try {
      const { allowed, reason = "" } = await this.#authorizer.authorize(
        user,
        attributesOf(question),
      );
      return { allowed, reason };
    } catch (error) {
      // An expression may ask for the error: `.errored()`.
      return { allowed: false, reason: "", error: error instanceof Error ? error.message : "" };
    }
  }
}

function userOf({ serviceAccount }: AccessQuestion, user: User): User {
  if (serviceAccount === undefined) return user;
  const { namespace, name } = serviceAccount;
  const groups = [
    "system:serviceaccounts",
    `system:serviceaccounts:${namespace}`,
    "system:authenticated",
  ];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

function attributesOf(question: AccessQuestion): Attributes {
  const { verb, path, group = "", resource = "" } = question;
  if (path !== undefined) return { verb, group: "", version: "", resource: "", path };
  const optional = ["subresource", "namespace", "name", "fieldSelector", "labelSelector"] as const;
  const given = optional.filter((name) => question[name] !== undefined && question[name] !== "");
  return {
    verb,
    group,
    version: "*",
    resource,
    path: "",
    ...Object.fromEntries(given.map((name) => [name, question[name]])),
  };
}
