// A set of field paths as a trie. Sets are immutable, so they share their parts.

import { compareElements, type Element } from "./element.ts";

export interface FieldSet {
  /** Whether the path that ends here belongs to the set; always false at the root. */
  readonly member: boolean;
  readonly children: ReadonlyMap<Element, FieldSet>;
}

const nothing: ReadonlyMap<Element, FieldSet> = new Map();

export const emptySet: FieldSet = { member: false, children: nothing };

/** The end of a path, with nothing below it. */
export const leaf: FieldSet = { member: true, children: nothing };

export function node(member: boolean, children = nothing): FieldSet {
  if (children.size > 0) return { member, children };
  return member ? leaf : emptySet;
}

/** The set of the given paths: `setOf(["f:spec", "f:replicas"])`. */
export function setOf(...members: readonly (readonly Element[])[]): FieldSet {
  return members.reduce<FieldSet>((set, path) => union(set, pathSet(path)), emptySet);
}

export function isEmpty(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

export function has(set: FieldSet, path: readonly Element[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children.get(element);
  return at?.member ?? false;
}

export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right || isEmpty(right)) return left;
  if (isEmpty(left)) return right;
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    const other = children.get(element);
    children.set(element, other === undefined ? child : union(other, child));
  }
  return node(left.member || right.member, children);
}

export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other !== undefined) setUnlessEmpty(children, element, intersection(child, other));
  }
  return node(left.member && right.member, children);
}

/** The paths of `left` that are not in `right`; paths below those of `right` stay. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(right)) return left;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    setUnlessEmpty(children, element, other === undefined ? child : difference(child, other));
  }
  return node(left.member && !right.member, children);
}

/** The paths of `left` that are neither in `right` nor below one of its paths. */
export function withoutBelow(left: FieldSet, right: FieldSet): FieldSet {
  if (right.member) return emptySet;
  if (isEmpty(right)) return left;
  const children = new Map<Element, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    setUnlessEmpty(children, element, other === undefined ? child : withoutBelow(child, other));
  }
  return node(left.member, children);
}

/** Whether both sets contain the same paths. */
export function sameSet(left: FieldSet, right: FieldSet): boolean {
  if (left === right) return true;
  if (left.member !== right.member || left.children.size !== right.children.size) return false;
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other === undefined || !sameSet(child, other)) return false;
  }
  return true;
}

/** The paths of the set in the order in which conflicts list them: those that end here, then deeper ones. */
export function* paths(set: FieldSet, prefix: readonly Element[] = []): Generator<Element[]> {
  const children = sortedChildren(set);
  for (const [element, child] of children) if (child.member) yield [...prefix, element];
  for (const [element, child] of children) yield* paths(child, [...prefix, element]);
}

export function sortedChildren(set: FieldSet): [Element, FieldSet][] {
  const children = [...set.children];
  return children.length < 2
    ? children
    : children.toSorted(([left], [right]) => compareElements(left, right));
}

function pathSet(path: readonly Element[]): FieldSet {
  return path.reduceRight<FieldSet>((set, element) => node(false, new Map([[element, set]])), leaf);
}

function setUnlessEmpty(children: Map<Element, FieldSet>, element: Element, set: FieldSet): void {
  if (!isEmpty(set)) children.set(element, set);
}
