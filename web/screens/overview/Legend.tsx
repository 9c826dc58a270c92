import { useMessages } from '../../messages/messages.js';

/** Legend of the bars. */
export const Legend = () => {
  const { legend } = useMessages().overview;
  const entry = (look: string, text: string, levels: readonly number[] = [0]) => (
    <li key={look}>
      {levels.map(level => (
        <span key={level} className="strip-sample" data-look={look} data-level={level || undefined}>
          <i />
        </span>
      ))}
      {text}
    </li>
  );
  return (
    <ul className="legend" aria-label={legend.label}>
      {entry('ordinary', legend.ordinary)}
      {entry('alert', legend.alert, [1, 2, 3])}
      {entry('drift', legend.drift)}
      {entry('gap', legend.gap)}
      {entry('none', legend.none)}
      {entry('planned', legend.planned)}
    </ul>
  );
};
