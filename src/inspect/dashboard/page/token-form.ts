import { type ComponentChildren, h } from "preact";
import { useState } from "preact/hooks";
import { exchange } from "./connection.ts";

/** Asks for a bearer token of the cluster, with whose rights everything is shown. */
export function TokenForm(): ComponentChildren {
  const [token, setToken] = useState("");
  const [refusal, setRefusal] = useState("");
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const why = await exchange(token.trim());
    setToken("");
    if (why === undefined) location.reload();
    else setRefusal(why);
  };
  return h(
    "main",
    { class: "refused" },
    h("h1", null, "Log in"),
    h(
      "form",
      { onSubmit: (event: Event) => void submit(event) },
      h(
        "label",
        null,
        "A bearer token of the cluster ",
        h("input", {
          type: "password",
          name: "token",
          autoComplete: "off",
          required: true,
          value: token,
          onInput: ({ currentTarget }) => setToken(currentTarget.value),
        }),
      ),
      h("button", { type: "submit" }, "Log in"),
    ),
    refusal !== "" && h("p", { role: "alert", class: "lamp bad" }, `✖ ${refusal}`),
    h(
      "p",
      null,
      "The page then shows what this token may read, and nothing else. A token that lasts an hour:",
    ),
    h(
      "p",
      { class: "command" },
      h("code", null, "kubectl create token NAME --namespace NAMESPACE"),
    ),
  );
}
