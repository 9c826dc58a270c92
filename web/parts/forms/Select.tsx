import type { ReactNode } from 'react';

/** A choice of one text out of some, such as a filter; it has a label for screen readers, or one next to it by `id`. */
export const Select = ({
  id,
  label,
  value,
  onChange,
  children,
}: {
  readonly id?: string;
  readonly label?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}) => (
  <select
    id={id}
    className="select"
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
  >
    {children}
  </select>
);
