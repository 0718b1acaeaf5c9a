// SPDX-License-Identifier: BSD-3-Clause
// A canvas as large as its place, drawn again when its place, the store or `draw` changes.
import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { store } from "./store.js";

/** @param {{draw: function(CanvasRenderingContext2D, number, number, number): boolean}} props `draw` returns whether
 *  something moves in it, so that it is to be drawn again even if nothing changes */
export function Canvas({ draw, children, ...rest }) {
  const element = useRef();
  const current = useRef(draw);
  current.current = draw;
  useEffect(() => {
    const canvas = element.current;
    const context = canvas.getContext("2d");
    let asked = 0;
    const paint = (now) => {
      asked = 0;
      const { clientWidth: width, clientHeight: height } = canvas;
      const scale = window.devicePixelRatio || 1;
      if (!width || !height)
        return;
      if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
        canvas.width = Math.round(width * scale);
        canvas.height = Math.round(height * scale);
      }
      context.setTransform(scale, 0, 0, scale, 0, 0);
      if (current.current(context, width, height, now))
        ask();
    };
    const ask = () => { asked ||= requestAnimationFrame(paint); };
    const observer = new ResizeObserver(ask);
    observer.observe(canvas);
    store.listeners.add(ask);
    canvas.ask = ask;
    return () => {
      observer.disconnect();
      store.listeners.delete(ask);
      cancelAnimationFrame(asked);
    };
  }, []);
  useEffect(() => { element.current.ask?.(); });
  return <canvas ref={element} {...rest}>{children}</canvas>;
}
