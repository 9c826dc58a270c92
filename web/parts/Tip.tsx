import { useState, type ReactNode } from 'react';

/** Tooltip with the text of `data-tip` of the element under the pointer. Accessible names have the same facts. */
export const Tip = ({
  children,
  className,
}: {
  readonly children: ReactNode;
  readonly className?: string;
}) => {
  const [tip, setTip] = useState<{ readonly text: string; readonly x: number; readonly y: number }>();
  return (
    <div
      className={className}
      onPointerOver={({ target }) => {
        const element = (target as HTMLElement).closest<HTMLElement>('[data-tip]');
        const text = element?.dataset['tip'];
        if (!element || text === undefined) return setTip(undefined);
        const { left, width, top } = element.getBoundingClientRect();
        setTip({ text, x: left + width / 2, y: top });
      }}
      onPointerLeave={() => setTip(undefined)}
    >
      {children}
      {tip && (
        <div
          className="tip"
          aria-hidden
          style={{
            left: Math.min(Math.max(tip.x, 130), document.documentElement.clientWidth - 130),
            top: tip.y - 6,
          }}
        >
          {tip.text}
        </div>
      )}
    </div>
  );
};
