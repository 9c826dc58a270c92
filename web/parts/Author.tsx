import icon from '../icon.svg';
import { useMessages } from '../messages/messages.js';

type Props = { readonly by: string; readonly byKind: string };

/** Author of an event. The service has its icon, which no name of a person can imitate. */
export const Author = ({ by, byKind }: Props) => {
  const { authors } = useMessages();
  if (byKind === 'service')
    return (
      <span className="author" data-kind="service">
        <img src={icon} alt="" /> {authors.service}
      </span>
    );
  if (byKind === 'erased')
    return (
      <em className="author muted" data-kind="erased">
        {authors.erased}
      </em>
    );
  return (
    <strong className="author" data-kind="person" dir="auto">
      {by}
    </strong>
  );
};
