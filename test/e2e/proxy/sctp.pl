# SCTP by hand, where the kernel has no such sockets: INIT and INIT-ACK packets over raw ones.
#
#   perl sctp.pl serve FAMILY NAME
#     answers every INIT with who it is and whom it saw
#   perl sctp.pl ask FAMILY ADDRESS PORT COUNT SECONDS [SOURCE]
#     sends so many INITs, and prints what comes back for each, up to one that nobody answers

use strict;
use warnings;
use Errno qw(EPERM);
use Socket qw(:DEFAULT inet_pton inet_ntop pack_sockaddr_in6 unpack_sockaddr_in6);

my ($mode, $family, @words) = @ARGV;
my $domain = $family eq "IPv6" ? AF_INET6 : AF_INET;
my ($protocol, $init, $init_ack, $parameter) = (132, 1, 2, 0x8123);
$| = 1;

socket(my $socket, $domain, SOCK_RAW, $protocol) or die "Cannot open a raw socket: $!\n";

# CRC-32C, bit by bit, of the packet with a sum of zero.
sub checksum {
  my $sum = 0xffffffff;
  for my $byte (unpack("C*", shift)) {
    $sum ^= $byte;
    $sum = ($sum >> 1) ^ ($sum & 1 ? 0x82f63b78 : 0) for 1 .. 8;
  }
  return $sum ^ 0xffffffff;
}

sub packet {
  my ($from, $to, $tag, $type, $text) = @_;
  my $padded = $text . "\0" x (-length($text) % 4);
  my $body = pack("NNnnN", 1, 65536, 1, 1, 1) . pack("nn", $parameter, 4 + length $text) . $padded;
  my $chunk = pack("CCn", $type, 0, 4 + length $body) . $body;
  my $head = pack("nnN", $from, $to, $tag);
  return $head . pack("V", checksum($head . pack("V", 0) . $chunk)) . $chunk;
}

# The sender's address, ports, type of the first chunk, its tag and its text.
sub receive {
  my $sender = recv($socket, my $data, 65535, 0);
  die "Cannot receive: $!\n" unless defined $sender;
  $data = substr $data, 4 * (ord($data) & 15) if $domain == AF_INET;
  my (undef, $address) = $domain == AF_INET ? sockaddr_in($sender) : unpack_sockaddr_in6($sender);
  my ($from, $to) = unpack("nn", $data);
  my ($type, $tag) = unpack("x12 C x3 N", $data);
  my ($length) = unpack("x34 n", $data);
  my $text = defined $length && $length > 4 ? substr($data, 36, $length - 4) : "";
  return (inet_ntop($domain, $address), $from, $to, $type, $tag, $text);
}

sub transmit {
  my ($address, $data) = @_;
  my $host = inet_pton($domain, $address);
  my $to = $domain == AF_INET ? pack_sockaddr_in(0, $host) : pack_sockaddr_in6(0, $host);
  return if defined send $socket, $data, 0, $to;
  die "Cannot send to $address: $!\n" unless $! == EPERM;
  print "EPERM\n";
  exit;
}

if ($mode eq "serve") {
  print "ready\n";
  while (1) {
    my ($address, $from, $to, $type, $tag) = receive();
    next unless $type == $init;
    transmit($address, packet($to, $from, $tag, $init_ack, "$words[0]:$to $address"));
  }
}

my ($address, $port, $count, $seconds, $source) = @words;
if (defined $source) {
  my $host = inet_pton($domain, $source);
  bind($socket, $domain == AF_INET ? pack_sockaddr_in(0, $host) : pack_sockaddr_in6(0, $host))
    or die "Cannot come from $source: $!\n";
}
$SIG{ALRM} = sub { print "ETIMEDOUT\n"; exit };
for my $n (1 .. $count) {
  my $own = 20000 + int rand 40000;
  transmit($address, packet($own, $port, 0, $init, "hello"));
  alarm $seconds;
  while (1) {
    my ($who, $from, $to, $type, undef, $text) = receive();
    next unless $who eq $address && $from == $port && $to == $own && $type == $init_ack;
    print "$text\n";
    last;
  }
}
