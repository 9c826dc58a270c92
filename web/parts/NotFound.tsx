import { Link } from '@tanstack/react-router';
import { useMessages } from '../messages/messages.js';

export const NotFound = () => {
  const { notFound, backToOverview } = useMessages();
  return (
    <div className="stack">
      <h1>{notFound}</h1>
      <p>
        <Link to="/" className="alone">
          {backToOverview}
        </Link>
      </p>
    </div>
  );
};
