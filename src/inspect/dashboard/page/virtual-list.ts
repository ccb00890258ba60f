// A list of which only what is seen is drawn, however long it is.

import { type ComponentChildren, h } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Command } from "./command.ts";

export interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly heading: ComponentChildren;
  /** The command that prints the same. */
  readonly command: string;
  /** Whether it is rather scrolled sideways than narrow. */
  readonly isWide?: boolean;
  readonly row: (index: number) => ComponentChildren;
}

/** Pixels; page.css has the same. */
const rowHeight = 34;
/** Rows beyond the edges that are drawn, too, so that quick scrolling shows no gap. */
const margin = 10;

/** A table, and below it the command that prints the same: no table is without one. */
export function VirtualList(props: VirtualListProps): ComponentChildren {
  return [h(Rows, { key: "rows", ...props }), h(Command, { key: "command", text: props.command })];
}

function Rows({ label, count, heading, isWide, row }: VirtualListProps): ComponentChildren {
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 800 } = scroller.current ?? {};
    setSeen((before) =>
      before.top === scrollTop && before.height === clientHeight
        ? before
        : { top: scrollTop, height: clientHeight },
    );
  };
  useLayoutEffect(() => {
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - margin);
  const last = Math.min(count, Math.ceil((seen.top + seen.height) / rowHeight) + margin);
  const indexes = Array.from({ length: Math.max(0, last - first) }, (_, at) => first + at);
  return h(
    "div",
    {
      class: isWide === true ? "list wide" : "list",
      role: "table",
      "aria-label": label,
      "aria-rowcount": count + 1,
      tabIndex: 0,
      ref: scroller,
      onScroll: measure,
    },
    h("div", { class: "row heading", role: "row", "aria-rowindex": 1 }, heading),
    h(
      "div",
      { class: "rows", role: "rowgroup", style: { height: `${count * rowHeight}px` } },
      indexes.map((index) =>
        h(
          "div",
          {
            key: index,
            class: "row",
            role: "row",
            "aria-rowindex": index + 2,
            style: { top: `${index * rowHeight}px` },
          },
          row(index),
        ),
      ),
    ),
  );
}
