import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { compile } from "./compile.ts";
import { estimate } from "./cost/estimate.ts";
import { declaredSizes } from "./cost/sizes.ts";
import { extend } from "./environment.ts";
import { fromJson, toJson } from "./json-values.ts";
import { kubernetes } from "./kubernetes.ts";
import { dynType, intType, type Type } from "./types.ts";
import { CelError, CelIssues, CostLimitExceeded, HeavyEvaluation, type Value } from "./values.ts";

const environment = extend(kubernetes, { self: dynType, a: intType, b: intType });

function run(expression: string, json: unknown = {}, limit = 1_000_000) {
  const self = fromJson(json);
  return compile(environment, expression).evaluate({ variables: () => self, limit });
}

describe("[API-9] values of expressions", () => {
  const cases: readonly (readonly [expression: string, value: unknown, cost: number])[] = [
    ["1 + 2 * 3 == 7", true, 3],
    ["9223372036854775807 - 1 == 9223372036854775806", true, 2],
    ["5u < 6 && 1.5 > 1", true, 2],
    ["'日本語'.size()", 3, 1],
    ["[1, 2, 3].filter(x, x > 1).map(x, x * 2)", [4, 6], 62],
    ["self.list.all(x, x < 10) ? 'small' : 'large'", "small", 18],
    ["self.list.exists_one(x, x == 2)", true, 12],
    ["has(self.absent) || has(self.name)", true, 2],
    ["self.?absent.orValue('none')", "none", 1],
    ["self.?name.optMap(n, n + '!').orValue('')", "tandem!", 9],
    ["self.map.transformMap(k, v, v + k)", { x: "yx", z: "wz" }, 15],
    ["self.name in ['tandem', 'solo']", true, 2],
    ["self.name.matches('^t[a-z]+$') && self.name.find('n.*') == 'ndem'", true, 9],
    ["'%s has %d'.format([self.name, 2])", "tandem has 2", 13],
    ["ip('fd00::1').family() == 6 && cidr('10.0.0.0/8').containsIP('10.1.2.3')", true, 6],
    ["quantity('1.5Gi').compareTo(quantity('1536Mi')) == 0", true, 4],
    ["semver('1.10.0').isGreaterThan(semver('1.9.3'))", true, 3],
    ["url('https://[::1]:8443/a?b=c').getHostname()", "::1", 4],
    ["timestamp('2024-02-29T12:00:00Z').getDayOfYear('Europe/Berlin')", 59, 1],
    ["duration('90m') == duration('1h30m')", true, 1],
    ["format.dns1123Label().validate('Not Valid').hasValue()", true, 10],
    ["sets.intersects(self.list, [3, 4]) && [3, 1, 2].isSorted() == false", true, 13],
    ["self.list.sum() + [5, 4].min() == 10", true, 9],
    ["type(1) == int && type(self.name) == string", true, 5],
  ];
  const json = { name: "tandem", list: [1, 2, 3], map: { x: "y", z: "w" } };
  for (const [expression, value, cost] of cases) {
    test(expression, () => {
      const found = run(expression, json);
      assert.deepEqual(toJson(found.value), value);
      assert.equal(found.cost, cost);
    });
  }
});

describe("[API-9] errors of expressions", () => {
  const failures: readonly (readonly [expression: string, message: string])[] = [
    ["1 / 0 == 1", "division by zero"],
    ["9223372036854775807 + 1 > 0", "integer overflow"],
    ["self.absent", "no such key: absent"],
    ["[1][5] == 1", "index out of bounds: 5"],
    ["self.name + 1", "no such overload"],
    ["false || self.absent == 1", "no such key: absent"],
  ];
  for (const [expression, message] of failures) {
    test(expression, () => {
      const { value } = run(expression, { name: "a" });
      assert.ok(value instanceof CelError);
      assert.equal(value.message, message);
    });
  }

  const issues: readonly (readonly [expression: string, message: RegExp])[] = [
    ["nothing", /1:1: undeclared reference to 'nothing' \(in container ''\)\n \| nothing\n \| \^/],
    ["1 + 'a'", /1:3: found no matching overload for '_\+_' applied to '\(int, string\)'/],
    ["[1, 'a']", /1:5: expected type 'int' but found 'string'/],
    ["a.b", /1:2: type 'int' does not support field selection/],
    ["1 +", /Syntax error/],
    ["duration('soon')", /invalid duration argument/],
    ["'a'.matches('(')", /invalid matches argument/],
  ];
  for (const [expression, message] of issues) {
    test(`${expression} does not compile`, () => {
      assert.throws(
        () => compile(environment, expression),
        (error) => {
          assert.ok(error instanceof CelIssues);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  test("true and false decide whatever the other side is", () => {
    assert.equal(run("true || self.absent == 1").value, true);
    assert.equal(run("self.absent == 1 && false").value, false);
    assert.equal(run("[1, 2].exists(x, self.absent == x || x == 2)").value, true);
  });
});

describe("[SEC-4] evaluation is bounded", () => {
  const hostile = [
    "lists.range(1000000000).size()",
    "lists.range(900).all(x, lists.range(900).all(y, x + y >= 0))",
    "'aaaaaaaaaa'.replace('', 'b'.replace('', self.text)).replace('', self.text).size()",
    "self.list.distinct().size()",
    "self.text.matches('(a|aa|aaa)+b') || lists.range(40).exists(x, self.text.matches('(a*)*b'))",
    // Lists that share their parts: 2^40 elements in forty steps.
    `[1]${".map(x, [x, x])".repeat(40)} == [1]${".map(x, [x, x])".repeat(40)}`,
    `'${"%s".repeat(200)}'.format(${JSON.stringify(Array.from({ length: 200 }, () => "x")).replaceAll('"x"', "self.text")})`,
  ];
  const json = {
    text: "a".repeat(200_000),
    list: Array.from({ length: 20_000 }, (_, index) => index),
  };
  for (const expression of hostile) {
    test(expression.slice(0, 80), () => {
      assert.throws(() => run(expression, json), CostLimitExceeded);
    });
  }

  test("nesting and length of expressions have limits", () => {
    for (const source of [
      "(".repeat(5000) + ")".repeat(5000),
      `1${" + 1".repeat(5000)}`,
      `a${".b".repeat(5000)}`,
    ]) {
      assert.throws(() => compile(environment, source), CelIssues);
    }
    assert.equal(compile(environment, `true${" && true".repeat(5000)}`).type.kind, "bool");
  });

  test("what costs too much for a thread says so before it is done", () => {
    const program = compile(environment, "self.text.matches('(a*)*b')");
    const self = fromJson(json);
    const options = { variables: () => self, limit: 1_000_000, heavy: 2000 };
    assert.throws(() => program.evaluate(options), HeavyEvaluation);
  });
});

test("[API-9] costs are estimated from the sizes that a type declares", () => {
  const name: Type = { kind: "string", max: 20 };
  const names: Type = { kind: "list", of: name, max: 10 };
  const self: Type = { kind: "object", name: "o", fields: new Map([["names", names]]) };
  const typed = extend(kubernetes, { self });
  const cost = (expression: string) =>
    estimate(compile(typed, expression).checked, declaredSizes(self)).max;
  assert.equal(cost("self.names.all(x, x.startsWith('a'))"), 53);
  assert.equal(cost("self.names.all(x, self.names.all(y, x == y))"), 763);
});

describe("[API-9] laws", () => {
  const number = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const operators: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "*": (a, b) => a * b,
  };
  for (const [operator, expected] of Object.entries(operators)) {
    test(`a ${operator} b is exact or an error`, () => {
      const program = compile(environment, `a ${operator} b`);
      fc.assert(
        fc.property(number, number, (a, b) => {
          const variables = (name: string): Value => (name === "a" ? a : b);
          const { value } = program.evaluate({ variables, limit: 100 });
          const exact = expected(a, b);
          if (BigInt.asIntN(64, exact) === exact) assert.equal(value, exact);
          else assert.ok(value instanceof CelError);
        }),
      );
    });
  }

  test("no text makes the compiler fail in another way than by issues", () => {
    const piece = fc.constantFrom(
      ..."self a . ( ) [ ] { } ? : , + - * / % < > = ! & | ' \" \\ 1 0x 2u 1e9 in has all map r' b\" // \n".split(
        " ",
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
        try {
          compile(environment, pieces.join(""));
        } catch (error) {
          assert.ok(error instanceof CelIssues, String(error));
        }
      }),
    );
  });
});
